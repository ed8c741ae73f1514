import { decodePercentEscapes } from "./decode-percent-escapes.js";

/** Removes the credentials from a URL and returns them as an `Authorization` header; `null` if there are none. */
export function takeCredentials(url: URL): string | null {
  const { username, password } = url;
  if (username === "" && password === "") return null;
  url.username = "";
  url.password = "";
  const credentials = `${decodePercentEscapes(username)}:${decodePercentEscapes(password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}
