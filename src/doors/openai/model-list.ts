// The list of models, as OpenAI clients read it.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'

type ModelNames = { readonly models: () => readonly string[] | Promise<readonly string[]> }

export async function listModels({ models }: ModelNames) {
  return { object: 'list', data: (await models()).map(modelObject) }
}

/** The name is the rest of the path, because it may contain slashes. */
export async function findModel({ models }: ModelNames, { params }: FastifyRequest) {
  const name = (params as { '*': string })['*']
  if ((await models()).includes(name)) return modelObject(name)
  throw new AppError('not_found', `no model ${name} is listed: requests accept any name, the settings choose the model`)
}

function modelObject(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'atrium' }
}
