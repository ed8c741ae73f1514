import { apiClasses } from "./api-classes.js";
import { apiEndpoints } from "./api-endpoints.js";
import { arabicNews } from "./arabic-news.js";
import { blogHashedClasses } from "./blog-hashed-classes.js";
import { blogIndex } from "./blog-index.js";
import { blogTheme } from "./blog-theme.js";
import { changelog } from "./changelog.js";
import { docsNestedNav } from "./docs-nested-nav.js";
import { docsTabs } from "./docs-tabs.js";
import { docsToctree } from "./docs-toctree.js";
import { event } from "./event.js";
import { faq } from "./faq.js";
import { forumBoard } from "./forum-board.js";
import { forumTopics } from "./forum-topics.js";
import { germanMagazine } from "./german-magazine.js";
import { government } from "./government.js";
import { japaneseBlog } from "./japanese-blog.js";
import { landing } from "./landing.js";
import { newsArticle } from "./news-article.js";
import { newsDivs } from "./news-divs.js";
import { newsletterPost } from "./newsletter-post.js";
import type { Page } from "./page.js";
import { pressRelease } from "./press-release.js";
import { questions } from "./questions.js";
import { recipe } from "./recipe.js";
import { repository } from "./repository.js";
import { shopProduct } from "./shop-product.js";
import { shortNotice } from "./short-notice.js";
import { tableNewsletter } from "./table-newsletter.js";
import { terms } from "./terms.js";
import { universityTables } from "./university-tables.js";
import { wiki } from "./wiki.js";

/** Pages in the styles of common sites, in the order of their files' names. */
export const PAGES: readonly Page[] = [
  apiClasses,
  apiEndpoints,
  arabicNews,
  blogHashedClasses,
  blogIndex,
  blogTheme,
  changelog,
  docsNestedNav,
  docsTabs,
  docsToctree,
  event,
  faq,
  forumBoard,
  forumTopics,
  germanMagazine,
  government,
  japaneseBlog,
  landing,
  newsArticle,
  newsDivs,
  newsletterPost,
  pressRelease,
  questions,
  recipe,
  repository,
  shopProduct,
  shortNotice,
  tableNewsletter,
  terms,
  universityTables,
  wiki,
];
