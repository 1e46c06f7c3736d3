// What browsers have for bytes, for the tests that run code of the page in Node: Node 24 lacks it.

if (!('toBase64' in Uint8Array.prototype)) {
  // oxlint-disable-next-line no-extend-native -- the page calls it on the bytes themselves
  Object.defineProperty(Uint8Array.prototype, 'toBase64', {
    value(this: Uint8Array): string {
      return Buffer.from(this).toString('base64')
    },
  })
}
