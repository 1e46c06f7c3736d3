// Commands of the operator on the machine of the service under test.
import { atrium, atriumProcess, type Program } from '../atrium.ts'

export type Machine = {
  readonly home: string
  readonly env: Record<string, string>
  /** What is run in place of the bundle. */
  readonly program?: Program | undefined
}

/** Throws when the command fails. */
export async function run({ home, env, program }: Machine, args: readonly string[], input: string): Promise<void> {
  const ran = program ? atriumProcess(home, args, { env, input, program }) : atrium(home, args, { env, input })
  const { code, stdout, stderr } = await ran
  if (code !== 0) throw new Error(`atrium ${args.join(' ')}: ${stdout}${stderr}`)
}
