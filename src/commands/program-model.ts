// The commands of `atrium model` and `atrium secret`.
import type { Command } from 'commander'

/** Adds `atrium model`. */
export function addModels(program: Command): void {
  const load = () => import('./model-command.ts')
  const model = program
    .command('model')
    .description('show, choose or test the model')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listModels(options))
  model
    .command('list')
    .description('show the model in use and the providers')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listModels(options))
  model
    .command('set <provider> [model]')
    .description(
      'choose the model if it answers; a running service uses it at once; `atrium model list` names the providers',
    )
    .option('--base-url <url>', 'address of the server, with its version: https://…/v1')
    .option('--fallback <list>', 'models to ask when it does not answer: provider/model,…')
    .option('--force', 'store the choice without asking the model for a word first')
    .action(async (provider, name, options) => (await load()).setModel(provider, name, options))
  model
    .command('test')
    .description('ask the model in use for one word; show its answer, time and cost')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).testModel(options))
}

/** Adds `atrium secret`. */
export function addSecrets(program: Command): void {
  const secret = program.command('secret').description('manage keys and passwords, which are stored encrypted')
  const load = () => import('./secret-command.ts')
  secret
    .command('set <name>')
    .description('store a secret; the value comes from a prompt or standard input')
    .action(async (name) => (await load()).setSecret(name))
  secret
    .command('list')
    .description('list the names of the secrets; values are never shown')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listSecrets(options))
  secret
    .command('remove <name>')
    .description('remove a secret')
    .action(async (name) => (await load()).removeSecret(name))
  secret
    .command('rotate')
    .description('encrypt all secrets with a new master key; stop the service first')
    .action(async () => (await load()).rotateKey())
}
