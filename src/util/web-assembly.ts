/** The part of WebAssembly that is used. TypeScript declares it for browsers only. */
interface WebAssemblyApi {
  /** Whether the bytes are a module that this version of Node supports. */
  validate(bytes: Uint8Array): boolean;
  /** Compiles a module, which may be sent to other threads, outside the event loop. */
  compile(bytes: Uint8Array): Promise<object>;
  Module: new (bytes: Uint8Array) => object;
  Memory: new (pages: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: true;
  }) => { readonly buffer: SharedArrayBuffer; grow(pages: number): number };
  Instance: new <Exports>(module: object, imports: object) => { readonly exports: Exports };
}

/** `undefined` if Node runs without WebAssembly, as with `--jitless`. */
export const { WebAssembly: webAssembly } = globalThis as { readonly WebAssembly?: unknown } as {
  readonly WebAssembly?: WebAssemblyApi;
};
