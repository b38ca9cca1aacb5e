import type { HttpResponse } from '@strata/world'
import type { ServiceAccountTokenOptions } from './service-account-tokens.ts'

const openidConfigurationPath = '/.well-known/openid-configuration'
const jwksPath = '/openid/v1/jwks'

/** Keys change only manually; clients may cache the documents for an hour, as upstream says. */
const cacheControl = 'public, max-age=3600'

/** The documents by which other programs verify tokens: the issuer, and the public keys. */
export function openidDocuments(
  options: ServiceAccountTokenOptions,
): Readonly<Record<string, () => HttpResponse>> {
  const keys = options.verificationKeys.map(({ keyId, algorithm, publicKey }) => {
    const { kty, ...parameters } = publicKey.export({ format: 'jwk' })
    return { use: 'sig', kty, kid: keyId, alg: algorithm, ...parameters }
  })
  const configuration = {
    issuer: options.issuers[0],
    // Never by the host name of a request: a cache of the answer would send others to a forger's keys.
    jwks_uri: options.jwksUri ?? `${options.issuers[0]}${jwksPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))].sort(),
  }
  return {
    [openidConfigurationPath]: () => answer('application/json', configuration),
    [jwksPath]: () => answer('application/jwk-set+json', { keys }),
  }
}

function answer(contentType: string, document: unknown): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': contentType, 'cache-control': cacheControl },
    body: Buffer.from(JSON.stringify(document)),
  }
}
