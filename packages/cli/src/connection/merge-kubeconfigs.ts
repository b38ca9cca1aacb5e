import { dirname, resolve } from 'node:path'

export interface KubeconfigFile {
  readonly path: string
  /** Its content; empty for an empty file. */
  readonly config: Readonly<Record<string, unknown>>
}

/** One cluster, user or context. */
export interface KubeconfigEntry {
  /** The file that contains it, for messages. */
  readonly path: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The merged content of several kubeconfigs. */
export interface Kubeconfig {
  /** All files that were read. */
  readonly paths: readonly string[]
  /** Empty if none of them has one. */
  readonly currentContext: string
  readonly contexts: ReadonlyMap<string, KubeconfigEntry>
  readonly clusters: ReadonlyMap<string, KubeconfigEntry>
  readonly users: ReadonlyMap<string, KubeconfigEntry>
}

/** Fields with file names, each relative to its kubeconfig. */
const fileFields = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']

/**
 * Merges the files of $KUBECONFIG as kubectl does. For each name, the first file that has it counts; the fields of an entry are
 * not mixed. The current context is that of the first file that has one. It may name a context of another file.
 */
export function mergeKubeconfigs(files: readonly KubeconfigFile[]): Kubeconfig {
  const current = files.map(({ config }) => config['current-context']).find(isName)
  return {
    paths: files.map(({ path }) => path),
    currentContext: current ?? '',
    contexts: firstOfEachName(files, 'contexts', 'context'),
    clusters: firstOfEachName(files, 'clusters', 'cluster'),
    users: firstOfEachName(files, 'users', 'user'),
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function firstOfEachName(
  files: readonly KubeconfigFile[],
  list: string,
  field: string,
): ReadonlyMap<string, KubeconfigEntry> {
  const found = new Map<string, KubeconfigEntry>()
  for (const { path, config } of files) {
    const entries = config[list]
    for (const each of Array.isArray(entries) ? entries : []) {
      if (!isRecord(each) || found.has(String(each['name']))) continue
      const fields = isRecord(each[field]) ? each[field] : {}
      found.set(String(each['name']), { path, fields: withWholePaths(fields, path) })
    }
  }
  return found
}

function withWholePaths(
  fields: Readonly<Record<string, unknown>>,
  path: string,
): Readonly<Record<string, unknown>> {
  const whole = fileFields.flatMap((field) => {
    const file = fields[field]
    return isName(file) ? [[field, resolve(dirname(path), file)]] : []
  })
  const { exec } = fields
  // A command with a slash is a file beside the kubeconfig; one without is looked up in PATH.
  const command = isRecord(exec) && isName(exec['command']) ? exec['command'] : ''
  const plugin = command.includes('/')
    ? { exec: { ...(exec as object), command: resolve(dirname(path), command) } }
    : {}
  return { ...fields, ...Object.fromEntries(whole), ...plugin }
}
