// Installed components as they are stored.

/** An installed component. Its description and schema were read once, when it was installed. */
export type ToolRecord = {
  readonly name: string
  readonly sha256: string
  /** The text of its capability file. */
  readonly capabilities: string
  readonly description: string
  /** The JSON schema of its parameters, as text. */
  readonly schema: string
  readonly installedAt: number
}

export interface ToolStore {
  /** Stores the tool, or replaces the one of this name. */
  put(tool: Omit<ToolRecord, 'installedAt'>, component: Uint8Array): Promise<void>
  list(): Promise<readonly ToolRecord[]>
  component(name: string): Promise<Uint8Array | undefined>
  remove(name: string): Promise<boolean>
}
