import { page } from "./page.js";

export const universityTables = page("university department with tables for layout", {
  article: `
    MATH 340: Number Theory, Fall term
    Lectures are on Monday and Wednesday at 10:15 in room B 204.
    The course assumes that you have seen groups and rings before.
    We will follow the notes below, with exercises from Ireland and Rosen.
    Grading
    Homework counts 40 percent, the midterm 20 and the final 40.
    Late homework is accepted until the solutions are discussed.
    Week
    Topic
    1
    Divisibility and the Euclidean algorithm
    2
    Congruences and the Chinese remainder theorem
    3
    Quadratic reciprocity, three proofs
    Office hours
    Thursdays from 14:00, or write to me beforehand.`,
  navigation: `
    Faculty of Science
    Department home
    People and offices
    Undergraduate programme
    Graduate programme
    Seminars this week
    Library catalogue
    Campus map
    Search the department
    Last modified: 3 September 2025
    Webmaster
    Back to the department
    Disclaimer of the university`,
  markup: `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html><head><title>MATH 340</title></head><body bgcolor="#ffffff">
<table width="100%" cellpadding="4" cellspacing="0" border="0"><tr bgcolor="#003366"><td colspan="2"><font color="white" size="+2"><b>{n}</b></font></td></tr>
<tr><td width="160" valign="top" bgcolor="#eeeeee"><font size="-1"><a href="../index.html">{n}</a><br><a href="people.html">{n}</a><br><a href="ug.html">{n}</a><br><a href="grad.html">{n}</a><br><a href="sem.html">{n}</a><br><br><a href="lib.html">{n}</a><br><a href="map.html">{n}</a><br><a href="search.html">{n}</a></font></td>
<td valign="top"><h2>{a}</h2><font size="2"><p>{a}<p>{a:b} {a}<h3>{a}</h3>{a} {a}<p>
<table border="1"><tr><th>{a}</th><th>{a}</th></tr><tr><td>{a}</td><td>{a}</td></tr><tr><td>{a}</td><td>{a}</td></tr><tr><td>{a}</td><td>{a}</td></tr></table>
<h3>{a}</h3><p>{a}</font></td></tr>
<tr bgcolor="#eeeeee"><td colspan="2" align="center"><font size="1">{n} | <a href="mailto:w">{n}</a> | <a href="/">{n}</a> | <a href="/disc">{n}</a></font></td></tr></table></body></html>`,
});
