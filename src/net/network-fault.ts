// A failure that the network code of this service names itself.

/** Its message is safe to show: it never quotes the request, which may carry a credential. */
export class NetworkFault extends Error {}
