import { page } from "./page.js";

export const recipe = page("recipe", {
  article: `
    Rye pancakes with lingonberries
    These come from my grandmother, who made them every Sunday in winter.
    The batter rests overnight, which makes the rye soft and a little sour.
    Prep time: 10 minutes
    Serves 4
    Ingredients
    200 g dark rye flour
    3 eggs
    6 dl whole milk
    a pinch of salt
    butter for the pan
    Instructions
    Whisk the flour and half of the milk until no lumps are left.
    Add the eggs, the salt and the remaining milk.
    Cover and leave in the fridge overnight.
    Fry thin pancakes in plenty of butter until the edges are crisp.
    Notes
    Frozen lingonberries work just as well as fresh ones.
    Calories: 310 kcal`,
  navigation: `
    Recipes A to Z
    Kitchen tools
    About Signe
    Jump to Recipe
    This post may contain affiliate links. Read my disclosure policy.
    Advertisement block
    Pin Recipe
    Print Recipe
    More pancakes to try
    Oat pancakes without sugar
    Oven pancake with apples
    Reader Interactions
    Did you make this? Tag @signekitchen
    Hi, I'm Signe! I cook with flour and patience.
    Popular recipes
    Cardamom buns
    Join 20,000 subscribers
    Footer menu: Accessibility`,
  markup: `<!DOCTYPE html><html lang="en"><head><title>Rye pancakes - Signe's Kitchen</title></head><body class="post-template-default genesis-sample header-full-width">
<nav class="nav-primary" aria-label="Main"><div class="wrap"><ul><li><a href="/az">{n}</a></li><li><a href="/tools">{n}</a></li><li><a href="/about">{n}</a></li></ul></div></nav>
<div class="site-inner"><div class="content-sidebar-wrap"><main class="content" id="genesis-content"><article class="post entry category-breakfast"><header class="entry-header"><h1 class="entry-title">{a}</h1></header>
<div class="entry-content"><div class="wprm-recipe-jump-container"><a href="#recipe" class="wprm-jump-to-recipe">{n}</a></div><p class="disclosure">{n}</p><p>{a}</p><figure class="wp-block-image"><img src="/p.jpg" alt=""></figure><p>{a}</p>
<div class="adthrive-ad adthrive-content"><span>{n}</span></div>
<div id="recipe" class="wprm-recipe-container"><div class="wprm-recipe"><div class="wprm-buttons"><a href="https://pin.example" class="wprm-recipe-pin">{n}</a><a href="#" class="wprm-recipe-print">{n}</a></div><div class="wprm-recipe-times"><span>{a}</span></div><div class="wprm-recipe-servings"><span>{a}</span></div>
<div class="wprm-recipe-ingredients-container"><h3>{a}</h3><ul><li><span>{a:b}</span></li><li><span>{a}</span></li><li><span>{a}</span></li><li><span>{a}</span></li><li><span>{a}</span></li></ul></div>
<div class="wprm-recipe-instructions-container"><h3>{a}</h3><ol><li>{a}</li><li>{a}</li><li>{a}</li><li>{a}</li></ol></div><div class="wprm-recipe-notes"><h3>{a}</h3><p>{a}</p></div><div class="wprm-nutrition">{a}</div></div></div>
<h3 class="related-heading">{n}</h3><ul class="related-list"><li><a href="/oat">{n}</a></li><li><a href="/oven">{n}</a></li></ul></div></article>
<div class="after-entry widget-area"><h2>{n}</h2><p>{n}</p></div></main>
<aside class="sidebar sidebar-primary widget-area"><section class="widget user-profile"><p>{n}</p></section><section class="widget featured-content"><h4>{n}</h4><a href="/buns">{n}</a></section><section class="widget signup"><p>{n}</p></section></aside></div></div>
<footer class="site-footer"><nav><a href="/a11y">{n}</a></nav></footer></body></html>`,
});
