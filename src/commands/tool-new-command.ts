// `atrium tool new` and `atrium tool build`: from an empty folder to a component that can be installed.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { programName } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { inCheckout } from '#lib/checkout.ts'
import { placeFile } from '#lib/place-file.ts'
import { buildTool } from '#sandbox/build/componentize.ts'
import { wrapModule } from '#sandbox/build/wrap-module.ts'
import { maxComponentBytes } from '#sandbox/child/limits.ts'
import { componentNameFault } from '#sandbox/component-tools.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { withSandbox } from './tool-command.ts'

const source = `// What the agent calls. Only types that can be erased, no packages that need Node; files beside this one may be imported.
import { log } from 'near:agent/host@0.3.0'

export const tool = {
  /** What is thrown here becomes the tool's error, which the model reads. */
  execute({ params }: { params: string }) {
    const { name } = JSON.parse(params) as { name?: unknown }
    if (typeof name !== 'string' || name === '') throw new Error("'name' must be a text")
    log('info', \`greeting \${name}\`)
    return { output: JSON.stringify({ greeting: \`Hello, \${name}!\` }) }
  },
  schema: () =>
    JSON.stringify({
      type: 'object',
      properties: { name: { type: 'string', description: 'whom to greet' } },
      required: ['name'],
      additionalProperties: false,
    }),
  description: () => 'Greets somebody by name.',
}
`
const capabilities = {
  version: '0.1.0',
  wit_version: '0.3.0',
  http: { allowlist: [] },
}
const settings = {
  compilerOptions: {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['esnext'],
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
  },
  include: ['*.ts'],
}

/** Creates a folder for a tool in TypeScript. */
export function newTool(name: string): void {
  const fault = componentNameFault(name, [])
  if (fault) throw new AppError('invalid_input', fault)
  const folder = resolve(name)
  if (existsSync(folder)) throw new AppError('invalid_input', `${folder} is there already: choose another name`)
  mkdirSync(folder)
  const files = {
    'tool.ts': source,
    'capabilities.json': `${JSON.stringify(capabilities, null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(settings, null, 2)}\n`,
    'host.d.ts': readFileSync(inCheckout('tools', 'host.d.ts'), 'utf8'),
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { flag: 'wx' })
  const program = programName()
  const install = `${program} tool install ${name}/dist/${name}.wasm --capabilities ${name}/capabilities.json --name ${name}`
  const steps = [`${program} tool build ${name}`, install, `${program} tool test ${name} --params '{"name":"Ada"}'`]
  process.stdout.write(`Made ${name}/tool.ts. Next:\n${steps.map((step) => `  ${step}\n`).join('')}`)
}

/**
 * Builds the component of a folder or of a core module, and reads its schema as an installation does. A build that fails
 * leaves the output file of an earlier one as it is.
 */
export async function buildToolIn(source: string, { out }: { out?: string }): Promise<void> {
  const path = resolve(source)
  const isModule = path.endsWith('.wasm')
  const folder = isModule ? dirname(path) : path
  const name = basename(path, '.wasm')
  const file = resolve(out ?? join(folder, 'dist', `${name}.wasm`))
  const capabilityFile = join(folder, 'capabilities.json')
  process.stderr.write('Building and checking the component …\n')
  const component = isModule ? await wrapFile(path, file) : await buildTool({ folder })
  const limits = existsSync(capabilityFile) ? readFileSync(capabilityFile, 'utf8') : '{}'
  await withSandbox(async ({ sandbox }) => {
    const { warnings } = await sandbox.load({ name, component, capabilities: limits }).catch((error: unknown) => {
      throw error instanceof ToolFault ? sourceFault(error, isModule ? basename(path) : 'tool.ts') : error
    })
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`)
  })
  mkdirSync(dirname(file), { recursive: true })
  placeFile(file, component)
  process.stdout.write(`Built ${file} (${Math.round(component.length / 1_024)} KiB).\n`)
}

/** A fault of a new component in terms of what its author wrote. */
function sourceFault(fault: ToolFault, file: string): unknown {
  const { code, message } = fault
  if (code === 'sandbox_unavailable' || code === 'transpile_timeout' || code === 'transpile_failed') return fault
  const place = code === 'capabilities_invalid' ? 'capabilities.json' : file
  const part = code === 'time_limit' ? ', schema or description' : ''
  return new AppError('invalid_input', `${place}${part}: ${message}`, { cause: fault })
}

async function wrapFile(path: string, out: string): Promise<Uint8Array> {
  if (path === out) throw new AppError('invalid_input', '--out must name another file than the module itself')
  const about = statSync(path, { throwIfNoEntry: false })
  if (!about?.isFile()) throw new AppError('invalid_input', `${path} does not exist, or is no file`)
  if (about.size > maxComponentBytes) {
    throw new AppError('invalid_input', `${path} has ${about.size} bytes, a component has at most ${maxComponentBytes}`)
  }
  return wrapModule(readFileSync(path))
}
