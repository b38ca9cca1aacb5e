import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface KubectlOptions {
  /** Which one; the installed one by default. */
  readonly program?: string
  readonly kubeconfig: string
  /** The directory for its caches. */
  readonly home: string
  readonly input?: unknown
}

/** The real kubectl, as people have it. */
export async function kubectl(args: readonly string[], options: KubectlOptions): Promise<Ran> {
  const { kubeconfig, home, input, program = process.env.STRATA_KUBECTL ?? 'kubectl' } = options
  const child = spawn(program, [...args, '--kubeconfig', kubeconfig], {
    env: { ...process.env, HOME: home, KUBECONFIG: '', TERM: 'dumb' },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // It need not read what it is given.
  child.stdin.on('error', () => {})
  child.stdin.end(input === undefined ? '' : JSON.stringify(input))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** A kubeconfig for one server and one token. */
export function tokenKubeconfig(server: {
  readonly port: number
  readonly ca: string
  readonly token: string
}): string {
  const { port, ca, token } = server
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    'certificate-authority-data': Buffer.from(ca).toString('base64'),
  }
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
    clusters: [{ name: 'a', cluster }],
    users: [{ name: 'a', user: { token } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  })
}
