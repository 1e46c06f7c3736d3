// Failures that the network code of this service names itself.

/** Its message is safe to show: it never quotes the request, which may carry a credential. */
export class NetworkFault extends Error {}

/** The proxy of the environment made no connection. */
export class ProxyFault extends NetworkFault {
  /** It may go away by itself. */
  readonly passing: boolean

  constructor(message: string, { passing, cause }: { passing: boolean; cause?: unknown }) {
    super(`the proxy of HTTPS_PROXY ${message}`, { cause })
    this.passing = passing
  }
}
