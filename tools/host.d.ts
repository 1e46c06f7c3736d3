// The host functions for TypeScript tools: near:agent/host of src/sandbox/wit/tool.wit, as the component builder maps it
// to JavaScript. An empty `option` is null; a WIT error is thrown.
declare module 'near:agent/host@0.3.0' {
  export type HttpResponse = { readonly status: number; readonly headersJson: string; readonly body: Uint8Array }
  export function log(level: 'trace' | 'debug' | 'info' | 'warn' | 'error', message: string): void
  export function nowMillis(): number
  export function workspaceRead(path: string): string | null
  export function httpRequest(
    method: string,
    url: string,
    headersJson: string,
    body: Uint8Array | null,
    timeoutMs: number | null,
  ): HttpResponse
  export function toolInvoke(alias: string, paramsJson: string): string
  export function secretExists(name: string): boolean
}
