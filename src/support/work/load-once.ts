// Values that are loaded once, by name, and kept with their owner: what searches load of a segment, for example.

export class LoadOnce {
  readonly #loaded = new Map<string, Promise<unknown>>();

  /** What `load` gave the first time. After a failure the next call tries again. A name always has the same type. */
  get<T>(name: string, load: () => Promise<T>): Promise<T> {
    let loaded = this.#loaded.get(name) as Promise<T> | undefined;
    if (!loaded) {
      loaded = load();
      this.#loaded.set(name, loaded);
      loaded.catch(() => this.#loaded.delete(name));
    }
    return loaded;
  }

  clear(): void {
    this.#loaded.clear();
  }
}
