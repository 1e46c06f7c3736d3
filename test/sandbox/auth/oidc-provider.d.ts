// The parts of oidc-provider that the tests use; the package has no types of its own.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Token = { destroy(): Promise<void> }
  type Tokens = { find(value: string): Promise<Token | undefined> }
  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly AccessToken: Tokens
    readonly RefreshToken: Tokens
    readonly Client: {
      prototype: { redirectUriAllowed(uri: string): boolean }
      readonly adapter: { destroy(id: string): Promise<void> }
    }
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  }
}
