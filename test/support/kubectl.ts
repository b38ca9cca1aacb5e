import { type Ran, runCommand } from './run-command.ts'

export type { Ran }

export interface KubectlOptions {
  /** Which one; the installed one by default. */
  readonly program?: string
  readonly kubeconfig: string
  /** The directory for its caches. */
  readonly home: string
  readonly input?: unknown
}

/** The real kubectl, as people have it. */
export function kubectl(args: readonly string[], options: KubectlOptions): Promise<Ran> {
  const { kubeconfig, home, input, program = process.env.STRATA_KUBECTL ?? 'kubectl' } = options
  return runCommand([program, ...args, '--kubeconfig', kubeconfig], home, input)
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
