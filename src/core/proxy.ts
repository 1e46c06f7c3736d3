// The proxy for outgoing requests, as the environment names it.

export type ProxySettings = {
  /** An http or https URL. It may contain a password. */
  readonly httpsProxy?: string
  /** A list of hosts as NO_PROXY has it. */
  readonly noProxy?: string
}
