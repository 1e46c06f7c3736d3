// Builds a component from a tool in TypeScript: strips the types, adds an entry that turns exceptions into tool errors, and
// runs the component builder.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError, errorMessage } from '#core/errors.ts'
import { inCheckout } from '#lib/checkout.ts'
import { dayMs } from '#core/time.ts'
import { oneLine } from '#safety/printable.ts'
import { buildFault } from './build-fault.ts'
import { type BuilderOutcome, runBuilder } from './run-builder.ts'
import { entry } from './tool-entry.ts'

export type BuildParts = {
  /** A folder with `tool.ts`, which exports `tool`, and the files that it imports. */
  readonly folder: string
  /** Texts by file name that replace files of the folder. Tests use it for sources with faults. */
  readonly overrides?: ReadonlyMap<string, string>
  readonly deadlineMs?: number
}

/** A development dependency: only building tools needs it, running them does not. */
const builder = 'componentize-qjs'
/** The builder needs about two seconds. The rest is for the tool's code and for slow machines. */
const buildDeadlineMs = 60_000
const workPrefix = 'atrium-tool-'
/** A folder that is older was left by a build that was killed. */
const maxWorkMs = dayMs

/** The component of one TypeScript tool. Throws invalid_input that says what is wrong with its sources. */
export async function buildTool({
  folder,
  overrides = new Map(),
  deadlineMs = buildDeadlineMs,
}: BuildParts): Promise<Uint8Array> {
  removeOld(tmpdir())
  const work = mkdtempSync(join(tmpdir(), workPrefix))
  try {
    const files = new Map(sourcesOf(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
    for (const [name, text] of overrides) files.set(name, text)
    files.set('prelude.ts', readFileSync(inCheckout('tools', 'prelude.ts'), 'utf8'))
    for (const [name, text] of files) writeFileSync(join(work, name.replace(/\.ts$/, '.js')), plainScript(name, text))
    mkdirSync(join(work, 'wit'))
    const wit = witFolder()
    for (const name of readdirSync(wit)) copyFileSync(join(wit, name), join(work, 'wit', name))
    const jsPath = join(work, 'entry.js')
    writeFileSync(jsPath, entry)
    const parts = { witPath: join(work, 'wit'), jsSource: entry, jsPath, moduleRoot: work }
    const outcome = await runBuilder(builder, parts, { deadlineMs })
    if (outcome.type === 'component') return outcome.component
    throw builderFault(outcome, deadlineMs)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Removes the folders of builds that were killed. Those of other users stay, also where root builds. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(workPrefix)) continue
    const path = join(folder, name)
    try {
      const { mtimeMs, uid } = lstatSync(path)
      if (uid === process.getuid?.() && Date.now() - mtimeMs > maxWorkMs) rmSync(path, { recursive: true, force: true })
    } catch {
      // It is gone.
    }
  }
}

export function witFolder(): string {
  return inCheckout('src', 'sandbox', 'wit')
}

/** The TypeScript files of a tool's folder. Throws invalid_input when it has no tool.ts. */
export function sourcesOf(folder: string): string[] {
  if (!existsSync(join(folder, 'tool.ts'))) {
    throw new AppError('invalid_input', `${folder} has no tool.ts: make one with \`atrium tool new\``)
  }
  return readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
}

function builderFault(outcome: Exclude<BuilderOutcome, { type: 'component' }>, deadlineMs: number): AppError {
  if (outcome.type === 'fault') {
    return new AppError('invalid_input', `the tool could not be built: ${buildFault(outcome.message)}`)
  }
  if (outcome.type === 'late') {
    const message = `the code of tool.ts did not finish loading within ${deadlineMs / 1_000} s and was stopped: look for a loop outside of execute, schema and description that does not end, in tool.ts or a file that it imports`
    return new AppError('invalid_input', message)
  }
  if (outcome.type === 'no_builder') {
    const message = `the component builder is not installed: run \`npm install -g ${builder}@${builderVersion()}\`, or in a checkout \`npm ci\``
    return new AppError('tool_refused', message, { cause: outcome.message })
  }
  return new AppError('tool_refused', `the component builder ended without an answer (${outcome.how}): try again`)
}

/** The version that this program was tested with. */
function builderVersion(): string {
  const about = JSON.parse(readFileSync(inCheckout('package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  return about.devDependencies[builder] ?? 'latest'
}

function plainScript(name: string, text: string): string {
  try {
    return stripTypeScriptTypes(text).replaceAll(/(from|import) (['"])\.\/([A-Za-z0-9_-]+)\.ts\2/g, "$1 './$3.js'")
  } catch (error) {
    // Only the stack has the line number.
    const line = error instanceof Error ? /^:(\d+)$/m.exec(error.stack ?? '')?.[1] : undefined
    const at = line === undefined ? '' : `, line ${line}`
    throw new AppError('invalid_input', `${name} cannot be read${at}: ${oneLine(errorMessage(error))}`, {
      cause: error,
    })
  }
}
