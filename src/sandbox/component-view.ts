// The view of an installed component: its description and schema, and its rights.
import { errorMessage } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import type { ToolRecord } from '#core/tool-record.ts'
import type { SourceView } from '#core/tool-source.ts'
import { accessRows, limitsRow } from '#sandbox/package/access.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { componentRows } from './component-tools.ts'

export function componentView({
  name,
  description,
  schema,
  sha256,
  capabilities,
  installedAt,
}: ToolRecord): SourceView {
  return {
    name,
    description,
    source: 'component',
    schema: JSON.parse(schema) as JsonObject,
    sha256,
    ...declared(capabilities),
    installedAt,
  }
}

/** A capability file that cannot be read becomes a row of the view, so that the other tools are still listed. */
function declared(text: string): Pick<SourceView, 'version' | 'access' | 'capabilities' | 'effects' | 'rows'> {
  try {
    const { capabilities } = readCapabilities(text)
    const rows = componentRows(capabilities)
    return {
      effects: rows[0],
      rows,
      version: capabilities.version,
      access: [...accessRows(capabilities), limitsRow(capabilities)],
      capabilities: JSON.parse(text) as JsonObject,
    }
  } catch (error) {
    return { effects: 'write', rows: ['write'], access: [{ kind: 'unreadable', reason: errorMessage(error) }] }
  }
}
