import { gadgets } from './gadget.ts'

/** For `strata serve --resources resources.ts`. */
export const resources = [gadgets]
