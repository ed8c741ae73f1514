import { expect, it } from "vitest";
import { forAllRows, forOneRow } from "#dist/storage/row-statement.js";

const columns = { seq: "bigint", name: "text" } as const;

it("runs for one row with the values in the order of the text", () => {
  const { sql, parameters } = forOneRow({
    columns,
    sql: "UPDATE d SET name = $name, other = $name $from WHERE seq = $seq",
  });
  expect(sql).toBe("UPDATE d SET name = ?, other = ?  WHERE seq = ?");
  expect(parameters([1, "one"])).toEqual(["one", "one", 1]);
});

it("runs for all rows with an array for each column", () => {
  const insert = { columns, sql: "INSERT INTO d (seq, name) SELECT $seq, $name $from $order" };
  const rows = "unnest(?::bigint[], ?::text[]) WITH ORDINALITY AS given (given_seq, given_name, given_place)";
  expect(forAllRows(insert)).toBe(
    `INSERT INTO d (seq, name) SELECT given_seq, given_name FROM ${rows} ORDER BY given_place`,
  );
  const query = { columns, sql: "SELECT d.id FROM d JOIN j ON j.id = d.j $join WHERE d.seq = $seq" };
  expect(forAllRows(query)).toBe(`SELECT d.id FROM d JOIN j ON j.id = d.j , ${rows} WHERE d.seq = given_seq`);
});
