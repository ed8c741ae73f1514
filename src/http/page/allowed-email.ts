import type { HostingSettings } from "../../index.js";
import { z } from "../../vendor/zod.js";

/** ASCII only: other letters may have an ASCII letter as their lower case. */
const addressSchema = z.email().max(254);

/** An e-mail address in lower case; `null` if it isn't one. */
export function normalizeEmail(value: unknown): string | null {
  const { data } = addressSchema.safeParse(typeof value === "string" ? value.trim() : value);
  return data?.toLowerCase() ?? null;
}

type AllowLists = Pick<HostingSettings, "allowedEmails" | "allowedEmailDomains">;

/** Whether a page admits a normalized address: one of the list, or of one of the domains, but not their subdomains. */
export function isAllowedEmail(email: string, { allowedEmails, allowedEmailDomains }: AllowLists): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  return (
    allowedEmails.some((allowed) => allowed.toLowerCase() === email) ||
    allowedEmailDomains.some((allowed) => allowed.toLowerCase() === domain)
  );
}
