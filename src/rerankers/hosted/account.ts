/** By whom a hosted reranker is paid. */
export interface HostedAccount {
  readonly apiKey: string;
  /** Where calls go, without a slash at its end, as for a proxy. @default the vendor's own address */
  readonly baseUrl?: string | undefined;
}
