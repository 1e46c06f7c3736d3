declare module 'web-push' {
  type RequestDetails = {
    readonly endpoint: string
    readonly headers: Readonly<Record<string, string | number>>
    readonly body: Buffer
  }
  const webPush: {
    /** Encrypts the payload and signs the request; sends nothing. */
    generateRequestDetails(
      subscription: { readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } },
      payload: string,
      options: {
        readonly vapidDetails: { readonly subject: string; readonly publicKey: string; readonly privateKey: string }
        readonly TTL: number
        readonly contentEncoding: 'aes128gcm'
        readonly urgency: 'normal' | 'high'
      },
    ): RequestDetails
  }
  export default webPush
}
