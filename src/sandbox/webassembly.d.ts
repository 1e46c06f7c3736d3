// The part of WebAssembly that the sandbox uses; the compiler's own declarations come only with those of a browser.
declare namespace WebAssembly {
  type Imports = Record<string, Record<string, unknown>>
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>)
    static imports(module: Module): { module: string; name: string; kind: string }[]
    static exports(module: Module): { name: string; kind: string }[]
  }
  class Instance {
    constructor(module: Module, imports?: Imports)
    readonly exports: Readonly<Record<string, unknown>>
  }
  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>
}
