import { collectFunctions, type Functions } from '../types/declaration.ts'
import { conversions } from './conversions.ts'
import { lists } from './lists.ts'
import { namedFormats } from './named-formats.ts'
import { network } from './network.ts'
import { operators } from './operators.ts'
import { optionals } from './optionals.ts'
import { patterns } from './patterns.ts'
import { quantities } from './quantities.ts'
import { semver } from './semver.ts'
import { strings } from './strings.ts'
import { times } from './times.ts'
import { urls } from './urls.ts'

/** All functions of Kubernetes expressions, except those of the authorizer. */
export const kubernetesFunctions: Functions = collectFunctions(
  operators,
  conversions,
  strings,
  times,
  optionals,
  lists,
  patterns,
  urls,
  quantities,
  network,
  namedFormats,
  semver,
)
