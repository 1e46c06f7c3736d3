// The tree of a Markdown text: blocks, and the spans of a line. It holds no HTML.

export type Span =
  | { readonly type: 'text' | 'code'; readonly text: string }
  | { readonly type: 'math'; readonly text: string; readonly display: boolean }
  | { readonly type: 'break' }
  | { readonly type: 'em' | 'strong' | 'del'; readonly spans: readonly Span[] }
  /** The mark of a footnote. */
  | { readonly type: 'note'; readonly label: string }
  /** `href` begins with http:, https: or mailto:. */
  | { readonly type: 'link'; readonly href: string; readonly spans: readonly Span[] }

export type Align = 'left' | 'center' | 'right' | undefined

export type ListItem = {
  /** The state of a task's box; undefined for an item without a box. */
  readonly checked?: boolean
  readonly blocks: readonly MarkdownBlock[]
}

export type MarkdownBlock =
  | { readonly type: 'paragraph'; readonly spans: readonly Span[] }
  | { readonly type: 'heading'; readonly depth: number; readonly spans: readonly Span[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'math'; readonly text: string }
  | { readonly type: 'rule' }
  /** The text of a footnote. */
  | { readonly type: 'note'; readonly label: string; readonly spans: readonly Span[] }
  | { readonly type: 'quote'; readonly blocks: readonly MarkdownBlock[] }
  /** `start` is set for numbered lists. A loose list has blank lines between its items. */
  | { readonly type: 'list'; readonly start?: number; readonly loose: boolean; readonly items: readonly ListItem[] }
  | {
      readonly type: 'table'
      readonly aligns: readonly Align[]
      /** Cells of the head and of each row; a row may have fewer cells than the head. */
      readonly head: readonly (readonly Span[])[]
      readonly rows: readonly (readonly (readonly Span[])[])[]
    }
  /** Text beyond the limits, as it was written. */
  | { readonly type: 'plain'; readonly text: string }
