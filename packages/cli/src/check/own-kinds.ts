import type { DeclaredResource } from '@strata/insight'
import { ConfigurationProblem, decodableKinds, ownRelease } from '@strata/server/main'
import { CliError } from '../output/errors.ts'
import { checkExits } from './exits.ts'

export const isOwnRelease = (release: string): boolean => release === ownRelease

/** The versions that this program and the modules read in a release: before an upgrade the new program is at hand. */
export async function listOwnKinds(modules: readonly string[], release: string): Promise<DeclaredResource[]> {
  try {
    const kinds = await decodableKinds(modules, release)
    return kinds.map(({ decodable, ...each }) => ({ ...each, decodableVersions: decodable }))
  } catch (error) {
    if (!(error instanceof ConfigurationProblem)) throw error
    throw new CliError(error.message, checkExits.usage, { cause: error })
  }
}
