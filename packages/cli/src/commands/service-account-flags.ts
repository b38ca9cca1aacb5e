import type { Command } from 'commander'
import { collect, durationOption } from '../options/duration.ts'

export interface ServiceAccountFlags {
  readonly serviceAccountIssuer: readonly string[]
  readonly serviceAccountKeyFile: readonly string[]
  readonly serviceAccountSigningKeyFile?: string
  readonly serviceAccountMaxTokenExpiration: number
  readonly serviceAccountJwksUri?: string
  readonly apiAudiences?: readonly string[]
}

/** How the tokens of service accounts are signed and checked, by kube-apiserver's names. */
export function addServiceAccountFlags(command: Command): Command {
  return command
    .option(
      '--service-account-issuer <url>',
      'who signs tokens of service accounts; may be repeated: the first signs, all are accepted (default: https://kubernetes.default.svc)',
      collect,
      [],
    )
    .option(
      '--service-account-signing-key-file <file>',
      'private key that signs tokens; servers on several machines need the same (default: <cert-dir>/sa.key)',
    )
    .option(
      '--service-account-key-file <file>',
      'further keys whose tokens are accepted; may be repeated',
      collect,
      [],
    )
    .addOption(
      durationOption(
        '--service-account-max-token-expiration <duration>',
        'tokens live no longer, whatever is asked for; 0 is no limit',
        0,
        '0',
      ),
    )
    .option(
      '--service-account-jwks-uri <url>',
      'where others find the keys of tokens (default: /openid/v1/jwks below the issuer)',
    )
    .option('--api-audiences <names>', 'names of this API in tokens (default: the issuers)', splitCommas)
}

/** The same as options of the server. */
export function serviceAccountOptions(flags: ServiceAccountFlags) {
  const { serviceAccountSigningKeyFile, serviceAccountJwksUri, apiAudiences } = flags
  return {
    serviceAccountIssuer: flags.serviceAccountIssuer,
    serviceAccountKeyFile: flags.serviceAccountKeyFile,
    serviceAccountMaxTokenExpirationMs: flags.serviceAccountMaxTokenExpiration,
    ...(serviceAccountSigningKeyFile === undefined ? {} : { serviceAccountSigningKeyFile }),
    ...(serviceAccountJwksUri === undefined ? {} : { serviceAccountJwksUri }),
    ...(apiAudiences === undefined ? {} : { apiAudiences }),
  }
}

const splitCommas = (text: string): string[] => text.split(',').filter((each) => each !== '')
