import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CapturedAnswer {
  readonly status: number
  readonly contentType?: string
  /** The first 4 KiB, as text or, if it was protobuf, as base64. Absent where it held a token. */
  readonly body?: string
  readonly bodyBase64?: string
  readonly truncated?: boolean
}

export interface CapturedRequest {
  /** Which command, or what happened to the server just then. */
  readonly command: number | string
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly bodyBase64?: string
  readonly bodyJSON?: unknown
  readonly response: CapturedAnswer
}

export interface CapturedRun {
  readonly name: string
  readonly requests: readonly CapturedRequest[]
}

const kubectl = (release: string): readonly string[] =>
  [
    ...['create', 'auth', 'apply', 'apply-server-side', 'crd', 'get', 'change', 'describe', 'watch', 'wait'],
    'delete',
  ].map((part) => `kubectl-${release}-${part}`)

/** Runs that build on each other, in the order in which they were recorded. Each chain begins with an empty server. */
export const chains: readonly (readonly string[])[] = [
  kubectl('1.32'),
  kubectl('1.36'),
  ['kubectl-1.36-more'],
  ['kcm-leader-election'],
  ['kcm-credentials'],
  ['kcm-controllers'],
  ['ksvm-trigger', 'ksvm-migrator'],
]

export function readRun(name: string): CapturedRun {
  const file = join(import.meta.dirname, '../captures/clients', `${name}.json`)
  return JSON.parse(readFileSync(file, 'utf8')) as CapturedRun
}

export const isWatch = ({ path }: CapturedRequest): boolean => /[?&]watch=true\b/.test(path)
