import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TokenLookup } from '../authentication/index.ts'
import { ConfigurationProblem, errorCode } from '../configuration/index.ts'
import type { FleetCredentials } from './fleet-credentials.ts'

/** The administrator's credential in a kubeconfig that a server writes. */
export type AdminCredential = string | { readonly cert: string; readonly key: string }

/**
 * Picks a credential that the server accepts. The fleet's token is only in the fleet's token file, until its line is
 * removed. The fleet's certificate is accepted while the fleet's CA signs clients.
 */
export function decideKubeconfigCredential(options: {
  readonly acceptsFleetToken: boolean
  readonly hasTokenAuthFile: boolean
  readonly trustsFleetAuthority: boolean
}): 'token' | 'certificate' {
  if (options.acceptsFleetToken) return 'token'
  if (options.trustsFleetAuthority) return 'certificate'
  throw new ConfigurationProblem(
    options.hasTokenAuthFile
      ? '--kubeconfig-out: with --token-auth-file and --client-ca-file, this server accepts none of the credentials in --cert-dir; leave one of the three flags out, or add <cert-dir>/ca.crt to the --client-ca-file'
      : '--kubeconfig-out: this server accepts none of the credentials in --cert-dir: the token in admin.token has no line in tokens.csv, and <cert-dir>/ca.crt is not in the --client-ca-file; add one of them',
  )
}

/** Loads the credential for `--kubeconfig-out`. It is read before the server starts, so that a mistake is reported at once. */
export async function loadKubeconfigCredential(
  { adminToken, caFile }: FleetCredentials,
  options: {
    readonly certDir: string
    readonly tokenAuthFile?: string | undefined
    /** The user of a token. */
    readonly lookup: TokenLookup
    /** The certificates of all CAs that sign clients. */
    readonly clientCa: string
  },
): Promise<AdminCredential> {
  const authority = (await readFile(caFile, 'utf8')).trim()
  const decision = decideKubeconfigCredential({
    acceptsFleetToken: options.lookup(adminToken) !== undefined,
    hasTokenAuthFile: options.tokenAuthFile !== undefined,
    trustsFleetAuthority: options.clientCa.includes(authority),
  })
  if (decision === 'token') return adminToken
  const read = (name: string): Promise<string> =>
    readFile(join(options.certDir, name), 'utf8').catch((error: unknown) => {
      throw new ConfigurationProblem(
        `--kubeconfig-out: needs ${join(options.certDir, name)}, which cannot be read (${errorCode(error)})`,
      )
    })
  return { cert: await read('admin.crt'), key: await read('admin.key') }
}
