/** What this software is called, where no release of the kinds is played. A test holds it to the package's. */
export const softwareRelease = '0.1.0'
