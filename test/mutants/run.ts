// What `npm run mutate` runs: plants the faults of the lists beside this file, one at a time, in copies of the checkout,
// runs the tests that should notice, and prints those that nobody noticed. A word keeps the areas or faults it occurs in.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readLists } from './lists.ts'
import { type Mutant, planted, unplantable } from './mutant.ts'

const root = join(import.meta.dirname, '..', '..')
/** A fault that makes a test hang is noticed by this. */
const deadlineMs = 180_000

type Verdict = 'caught' | 'SURVIVED' | 'CANNOT BE PLANTED' | 'TESTS FAIL WITHOUT IT'

async function main(words: readonly string[]): Promise<number> {
  const mutants = (await readLists()).filter(
    ({ area, says }) => words.length === 0 || words.some((word) => area === word || says.includes(word)),
  )
  if (mutants.length === 0) {
    console.error(`No planted fault matches ${words.join(' ')}.`)
    return 1
  }
  const scratch = mkdtempSync(join(tmpdir(), 'atrium-mutants-'))
  const healthy = new Map<string, Promise<boolean>>()
  const waiting = [...mutants]
  const bad: string[] = []
  let done = 0
  const work = async (copy: string): Promise<void> => {
    copyCheckout(copy)
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const verdict = await judge(mutant, copy, healthy)
      const line = `${verdict}  ${mutant.area}: ${mutant.says}`
      console.log(`[${++done}/${mutants.length}] ${line}`)
      if (verdict !== 'caught') bad.push(`${line} (${mutant.file})`)
    }
  }
  try {
    // One more than the cores: many tests wait for a browser, a process or a socket.
    const copies = Array.from({ length: Math.min(availableParallelism() + 1, mutants.length) }, (_, at) => at)
    await Promise.all(copies.map((at) => work(join(scratch, String(at)))))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  console.log(bad.length === 0 ? `\n${done} faults planted, none survived.` : `\n${bad.length} of ${done}:`)
  for (const line of bad) console.log(`  ${line}`)
  return bad.length === 0 ? 0 : 1
}

/** The files git knows or would take, with the built tools and a link to the dependencies. */
function copyCheckout(copy: string): void {
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`)
  for (const path of [...listed.stdout.split('\0').filter(Boolean), ...globSync('tools/*/dist', { cwd: root })]) {
    mkdirSync(join(copy, dirname(path)), { recursive: true })
    cpSync(join(root, path), join(copy, path), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
}

async function judge(mutant: Mutant, copy: string, healthy: Map<string, Promise<boolean>>): Promise<Verdict> {
  const path = join(copy, mutant.file)
  const text = readFileSync(path, 'utf8')
  if (unplantable(mutant, text)) return 'CANNOT BE PLANTED'
  for (const each of mutant.tests) {
    // A test that fails anyway notices nothing.
    if (!healthy.has(each)) healthy.set(each, passes(each, copy))
    if (!(await healthy.get(each))) return 'TESTS FAIL WITHOUT IT'
  }
  writeFileSync(path, planted(mutant, text))
  try {
    for (const each of mutant.tests) if (!(await passes(each, copy))) return 'caught'
    return 'SURVIVED'
  } finally {
    writeFileSync(path, text)
  }
}

function passes(file: string, copy: string): Promise<boolean> {
  const child = spawn(process.execPath, ['test/run.ts', '--import=./test/mutants/first.ts', file], {
    cwd: copy,
    stdio: 'ignore',
    timeout: deadlineMs,
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code === 0))
  })
}

process.exitCode = await main(process.argv.slice(2))
