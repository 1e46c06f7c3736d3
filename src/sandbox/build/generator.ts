// Loads the code generator of the transpiler's package, without the parts that need native code.
import type { Generate } from './transpile.ts'

export async function loadGenerator(): Promise<Generate> {
  const bindgen = await import('@bytecodealliance/jco-transpile/component')
  await bindgen.$init
  return (component, waiting) => {
    const { files, imports } = bindgen.generate(component, {
      name: 'tool',
      map: [],
      instantiation: { tag: 'async' },
      asyncMode: { tag: 'jspi', val: waiting },
      noComponentErrorWrapping: true,
      noTypescript: true,
      // Every core module becomes a file: one inside the script would escape the checks.
      base64Cutoff: 0,
      tlaCompat: false,
    })
    return { files: new Map(files), imports }
  }
}
