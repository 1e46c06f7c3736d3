// The jobs that run apart from the service, as a thread or process gets them, and what it returns.
import type { Search } from '#tools/workspace/search.ts'

export type PageJob = { readonly type: 'page'; readonly html: string; readonly url: string }
export type PdfJob = { readonly type: 'pdf'; readonly bytes: Uint8Array }
export type SearchJob = { readonly type: 'search' } & Search
export type Job = PageJob | PdfJob | SearchJob

export type JobResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string }
