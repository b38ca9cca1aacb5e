import { pathToFileURL } from 'node:url'

/** Loads a module of the user. The single executable does it in another way (tools/bundle-command.ts). */
export const importFile = (file: string): Promise<unknown> => import(pathToFileURL(file).href)
