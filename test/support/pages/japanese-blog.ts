import { page } from "./page.js";

export const japaneseBlog = page("blog in Japanese", {
  article: `
    古い万年筆を自分で修理してみた
    祖父の机から出てきた万年筆は、三十年以上使われていませんでした。
    まず、ぬるま湯に一晩つけて、固まったインクを溶かします。
    ペン芯を外すときは、無理に引っ張らないことが大切です。
    用意するもの
    シリコングリス
    柔らかい布
    ゴムのサックはすでに硬くなっていたので、新しいものに交換しました。
    修理にかかった費用は全部で千二百円ほどです。
    書き味は驚くほど滑らかで、祖父の字を思い出しました。
    次回は、金属部分の磨き方について書く予定です。`,
  navigation: `
    文具と暮らしのブログ
    トップページ
    プロフィール
    お問い合わせ
    カテゴリー一覧
    シェアする
    この記事が気に入ったらフォローしよう
    関連記事
    インクの色見本を作る方法
    革のペンケースを手入れする
    コメントを書き込む
    最近の投稿
    手帳の選び方二〇二六年版
    アーカイブ
    プライバシーポリシー
    当サイトではクッキーを使用しています。同意する`,
  markup: `<!DOCTYPE html><html lang="ja"><head><title>古い万年筆を自分で修理してみた</title></head><body>
<div id="container"><div id="header"><div class="site-name"><a href="/">{n}</a></div><div id="navi"><ul><li><a href="/">{n}</a></li><li><a href="/p">{n}</a></li><li><a href="/c">{n}</a></li></ul></div></div>
<div id="content"><div id="content-in"><div class="cat-link"><a href="/cat">{n}</a></div><div class="hentry"><h1>{a}</h1><div class="honbun"><p>{a}</p><p>{a:link}</p><p>{a}</p><h2>{a}</h2><ul><li>{a}</li><li>{a}</li></ul><div>{a}</div><div>{a}</div><p>{a}<br>{a}</p></div></div>
<div class="sns-share"><div class="sns-share-message">{n}</div></div><div class="sns-follow">{n}</div>
<div id="related-entries"><h2>{n}</h2><div class="related-entry"><a href="/1">{n}</a></div><div class="related-entry"><a href="/2">{n}</a></div></div>
<div id="comment-area"><h2>{n}</h2></div></div>
<div id="sidebar"><div class="widget"><h3>{n}</h3><ul><li><a href="/3">{n}</a></li></ul></div><div class="widget"><h3>{n}</h3><ul><li><a href="/2026/01">2026年1月</a></li></ul></div></div></div>
<div id="footer"><a href="/pp">{n}</a></div><div id="cookie-bar">{n}</div></div></body></html>`,
});
