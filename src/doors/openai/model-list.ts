// The list of models, as OpenAI clients read it. It is answered without the database.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'

/** The agent. Any other name that is not listed means the agent too. */
const agentModel = 'atrium'
/** One call of the model: no tools, no memory, nothing stored but usage. */
export const taskModel = 'atrium-task'

export type ModelNames = {
  /** Models that the operator offers for choosing. */
  readonly choices: () => readonly string[]
}

export function listModels(names: ModelNames) {
  return { object: 'list', data: namesOf(names).map(modelObject) }
}

/** The name is the rest of the path, because it may contain slashes. */
export function findModel(names: ModelNames, { params }: FastifyRequest) {
  const name = (params as { '*': string })['*']
  if (namesOf(names).includes(name)) return modelObject(name)
  if (name === '')
    throw new AppError('not_found', 'this address has no name of a model: leave out the slash at the end')
  const message = `no model ${name} is listed: requests accept any name, and it means ${agentModel}`
  throw new AppError('model_not_found', message, { param: 'model' })
}

function namesOf({ choices }: ModelNames): string[] {
  return [agentModel, taskModel, ...choices().filter((name) => name !== agentModel && name !== taskModel)]
}

function modelObject(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'atrium' }
}
