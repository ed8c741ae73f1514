import { page } from "./page.js";

export const shopProduct = page("shop's product", {
  article: `
    Trail stove TS-2, titanium
    4.6 out of 5 stars from 212 reviews
    €54.90
    In stock, ships within two days
    Boils a litre of water in under four minutes.
    Folds flat and weighs 88 grams
    Stands on three legs with serrated tips
    Works with all screw-on gas cartridges
    Product details
    Material
    Grade 2 titanium
    Output
    2,600 W
    Dimensions folded
    38 × 92 mm
    The flame spreads wide, so that nothing burns in the middle of a light pot.
    Customer reviews
    Used it for three weeks in Lapland and it never failed me.
    The legs are wobbly on rock, fine on soil.
    Warranty: 5 years from the date of purchase.`,
  navigation: `
    Free delivery on orders over €60
    All departments
    Tents and tarps
    Sleeping bags
    Backpacks up to 60 litres
    Your basket is empty
    Wish list
    Camping kitchen
    Add to basket
    Customers also bought
    Gas cartridge 230 g
    Windscreen foil
    Recently viewed items
    Spork set of four
    Be the first to hear about offers
    Delivery information
    Returns and refunds
    Payment methods
    Select your cookie preferences
    Read our cookie notice`,
  markup: `<!doctype html><html lang="en"><head><title>Trail stove TS-2 | Outback Supply</title></head><body>
<div class="announcement-bar">{n}</div>
<header class="site-header"><nav class="mega-menu"><ul><li><a href="/all">{n}</a><div class="mega-menu__panel"><ul><li><a href="/tents">{n}</a></li><li><a href="/bags">{n}</a></li><li><a href="/packs">{n}</a></li></ul></div></li></ul></nav><div class="cart-drawer"><p>{n}</p></div><a href="/wish">{n}</a></header>
<div class="breadcrumb" aria-label="breadcrumb"><a href="/">Home</a> / <a href="/kitchen">{n}</a></div>
<div id="product" class="product-page" itemscope itemtype="https://schema.org/Product"><div class="product-gallery"><img src="/1.jpg" alt=""><img src="/2.jpg" alt=""></div>
<div class="product-info"><h1 class="product-title" itemprop="name">{a}</h1><div class="rating">{a}</div><div class="price" itemprop="offers">{a}</div><div class="availability">{a}</div>
<div class="product-short"><p>{a}</p><ul><li>{a}</li><li>{a}</li><li>{a}</li></ul></div><form class="product-form"><a class="btn add-to-cart" href="#">{n}</a></form></div>
<div class="product-tabs"><h2>{a}</h2><table class="specs"><tr><th>{a}</th><td>{a}</td></tr><tr><th>{a}</th><td>{a}</td></tr><tr><th>{a}</th><td>{a}</td></tr></table><div class="description"><p>{a}</p></div></div>
<div class="product-reviews" id="reviews"><h2>{a}</h2><div class="review"><p>{a}</p></div><div class="review"><p>{a}</p></div></div><p class="warranty">{a}</p></div>
<section class="product-recommendations"><h2>{n}</h2><div class="grid"><div class="card"><a href="/gas">{n}</a><span>€5.90</span></div><div class="card"><a href="/wind">{n}</a><span>€8.50</span></div></div></section>
<section class="recently-viewed"><h2>{n}</h2><div class="card"><a href="/spork">{n}</a></div></section>
<footer><div class="newsletter"><p>{n}</p></div><ul><li><a href="/delivery">{n}</a></li><li><a href="/returns">{n}</a></li><li><a href="/pay">{n}</a></li></ul></footer>
<div id="cookie-overlay" class="modal"><div class="modal-content"><h3>{n}</h3><a href="/cookies">{n}</a></div></div></body></html>`,
});
