// The commands and options of the command line as plain data, for completion scripts and suggestions.
import type { Command } from 'commander'

export type CommandOption = {
  /** `-c` and `--continue`. */
  readonly flags: readonly string[]
  readonly takesValue: boolean
  readonly description: string
}

export type CommandNode = {
  /** The words after `atrium` that lead here; empty for the program itself. */
  readonly path: readonly string[]
  readonly options: readonly CommandOption[]
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  /** The values of its first argument, if they are known. */
  readonly choices: readonly string[]
}

/** The shells that completion scripts are for. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The program and all commands below it, parents first. */
export function commandTree(command: Command, path: readonly string[] = []): CommandNode[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const node: CommandNode = {
    path,
    options: help.visibleOptions(command).map(({ short, long, required, optional, description }) => ({
      flags: [short, long].filter((flag) => flag !== undefined && flag !== null),
      takesValue: required || optional,
      description,
    })),
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }
  return [node, ...commands.flatMap((each) => commandTree(each, [...path, each.name()]))]
}
