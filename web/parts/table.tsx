// Tables in a card. On a phone each row becomes two lines.
import type { ComponentChildren } from 'preact'
import './table.css'

export type Column = {
  readonly label: string
  readonly number?: boolean
  /** Hides the column's head from the eye. */
  readonly unseen?: boolean
}

type Props = {
  readonly name: string
  /** The class that lays out the cells on a phone. */
  readonly look: string
  readonly columns: readonly Column[]
  readonly children: ComponentChildren
}

/** The children are its rows. */
export function Table({ name, look, columns, children }: Props) {
  return (
    <div class="card table-card">
      <table class={`table ${look}`}>
        <caption>{name}</caption>
        <thead>
          <tr>
            {columns.map(({ label, number, unseen }) => (
              <th key={label} scope="col" class={number ? 'number' : undefined}>
                {unseen ? <span class="unseen">{label}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
