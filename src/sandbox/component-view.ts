// The view of an installed component: its description and schema, and its rights.
import { errorMessage } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import type { ToolRecord } from '#core/tool-record.ts'
import type { SourceView } from '#core/tool-source.ts'
import { accessRows, limitsRow } from '#sandbox/package/access.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { componentRows, contextOf } from './component-tools.ts'

export function componentView({
  name,
  description,
  schema,
  sha256,
  capabilities,
  installedAt,
}: ToolRecord): SourceView {
  const parameters = JSON.parse(schema) as JsonObject
  return {
    name,
    description,
    source: 'component',
    schema: parameters,
    sha256,
    ...declared(name, capabilities, parameters),
    installedAt,
  }
}

type Declared = Pick<SourceView, 'version' | 'access' | 'capabilities' | 'effects' | 'rows' | 'actions'>

/** A capability file that cannot be read becomes a row of the view, so that the other tools are still listed. */
function declared(name: string, text: string, schema: JsonObject): Declared {
  try {
    const { capabilities } = readCapabilities(text)
    const rows = componentRows(capabilities)
    return {
      effects: rows[0],
      rows,
      version: capabilities.version,
      access: [...accessRows(capabilities), limitsRow(capabilities)],
      capabilities: JSON.parse(text) as JsonObject,
      ...(capabilities.actions.length > 0 && {
        actions: capabilities.actions.map((action) => ({
          name: `${name}_${action.id}`,
          ...(action.description !== undefined && { description: action.description }),
          schema: action.params ?? schema,
          context: contextOf(name, action),
        })),
      }),
    }
  } catch (error) {
    return { effects: 'write', rows: ['write'], access: [{ kind: 'unreadable', reason: errorMessage(error) }] }
  }
}
