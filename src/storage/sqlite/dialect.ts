import type { Dialect } from "../dialect.js";

export const SQLITE: Dialect = {
  jsonField: (json, field) => `${json} ->> '$.${field}'`,
  among: (value) => `${value} IN (SELECT value FROM json_each(?))`,
  greater: (a, b) => `max(${a}, ${b})`,
};
