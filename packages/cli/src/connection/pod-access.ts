import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClusterAccess } from './kubeconfig.ts'

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * How a pod reaches its own cluster: with the token of its service account. Undefined outside of a pod, and if KUBECONFIG is
 * set.
 */
export async function loadPodAccess(
  environment: Readonly<Record<string, string | undefined>>,
  directory = mounted,
): Promise<ClusterAccess | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443', KUBECONFIG } = environment
  if (!host || KUBECONFIG) return undefined
  try {
    const tokenFile = join(directory, 'token')
    // The file has another token before this one expires.
    const token = (await readFile(tokenFile, 'utf8')).trim()
    const ca = await readFile(join(directory, 'ca.crt'))
    return { server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`, ca, token, tokenFile }
  } catch (error) {
    // A pod without a service account token: use a kubeconfig.
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}
