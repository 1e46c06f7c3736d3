// Loads the code generator of the transpiler's package, without the parts that need native code.
import type { Generate } from './transpile.ts'

export async function loadGenerator(): Promise<Generate> {
  const bindgen = await import('@bytecodealliance/jco-transpile/component')
  await bindgen.$init
  return (component, options) => {
    const { files, imports, exports } = bindgen.generate(component, {
      name: options.name,
      map: [],
      instantiation: { tag: options.instantiation },
      asyncMode: { tag: options.asyncMode, val: { imports: options.asyncImports, exports: options.asyncExports } },
      noComponentErrorWrapping: true,
      noTypescript: !options.emitTypescriptDeclarations,
      base64Cutoff: options.base64Cutoff,
      tlaCompat: false,
    })
    return { files: Object.fromEntries(files), imports, exports }
  }
}
