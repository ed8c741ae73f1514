import { page } from "./page.js";

export const arabicNews = page("news in Arabic", {
  article: `
    افتتاح أكبر مكتبة عامة في المدينة القديمة
    تضم المكتبة أكثر من مئتي ألف كتاب ومخطوطة نادرة.
    قال مدير المشروع إن أعمال الترميم استمرت أربع سنوات وشملت القاعة الكبرى والفناء.
    وأضاف أن الدخول سيكون مجانيا لجميع السكان طوال أيام الأسبوع.
    وتوفر المكتبة قسما خاصا للأطفال وقاعات هادئة للطلاب والباحثين.
    كما ستنظم ندوة شهرية حول تاريخ الكتابة والطباعة في المنطقة.
    وبلغت تكلفة المشروع نحو تسعة ملايين دينار بحسب بيان البلدية.
    ومن المقرر أن تصل الدفعة الثانية من الكتب في مطلع العام المقبل.`,
  navigation: `
    الصفحة الرئيسية
    أخبار العالم
    اقتصاد وأعمال
    رياضة محلية
    شارك المقال على فيسبوك
    اطبع هذه الصفحة
    مواضيع ذات صلة
    معرض للخط العربي يجذب الزوار
    ترميم سور المدينة يبدأ في الربيع
    الأكثر قراءة
    موجة حر جديدة هذا الأسبوع
    اشترك في نشرتنا البريدية
    نستخدم ملفات تعريف الارتباط لتحسين تجربتك. موافق
    من نحن
    جميع الحقوق محفوظة للصحيفة`,
  markup: `<!DOCTYPE html><html lang="ar" dir="rtl"><head><title>افتتاح أكبر مكتبة</title></head><body>
<div class="header"><ul class="main-nav"><li><a href="/">{n}</a></li><li><a href="/world">{n}</a></li><li><a href="/eco">{n}</a></li><li><a href="/sport">{n}</a></li></ul></div>
<div class="container"><div class="main-col"><div class="article-page"><h1>{a}</h1><h2 class="lead">{a}</h2><div class="share-bar"><a href="#">{n}</a><a href="#">{n}</a></div>
<div class="article-content"><p>{a}</p><p>{a}</p><p>{a:link}</p><p>{a} {a}</p><p>{a}</p></div></div>
<div class="related-articles"><h3>{n}</h3><ul><li><a href="/1">{n}</a></li><li><a href="/2">{n}</a></li></ul></div></div>
<div class="side-col"><div class="most-read"><h3>{n}</h3><ul><li><a href="/3">{n}</a></li></ul></div><div class="newsletter-box">{n}</div></div></div>
<div class="gdpr-bar">{n}</div>
<div class="footer"><a href="/about">{n}</a><span>{n}</span></div></body></html>`,
});
