import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.HashMap;

/**
 * Runs programs inside of the JVM under test: each line of standard input names a file with one
 * program and what is to be called, and the answer is lines on standard output.
 *
 * <p>It is not told what functions have to return: it reports what they return and leave the first
 * time, and each repetition that does something else. Every line of an answer begins with the nonce
 * of its request.
 *
 * <p>An instance loads the classes of one program. When it is gone, so are they.
 *
 * <p>It is one class without lambdas and strings that are put together by bootstrap methods, so
 * that starting takes little and works on every JVM since 8.
 */
public final class Host extends ClassLoader {
    private static final MethodType CHECK = MethodType.methodType(
            int.class, int.class, long[].class, long.class, long.class, int.class, long[].class);

    private final HashMap<String, byte[]> classes = new HashMap<String, byte[]>();

    private Host() {
        super(Host.class.getClassLoader());
    }

    /** Classes of the program are never looked for elsewhere. */
    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        byte[] bytes = classes.get(name);
        if (bytes == null) {
            return super.loadClass(name, resolve);
        }
        Class<?> known = findLoadedClass(name);
        return known != null ? known : defineClass(name, bytes, 0, bytes.length);
    }

    public static void main(String[] args) throws IOException {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        say(out, new StringBuilder("ready"));
        String file;
        while ((file = questions.readLine()) != null) {
            answer(ByteBuffer.wrap(read(file)), out);
        }
    }

    private static void answer(ByteBuffer request, PrintStream out) throws IOException {
        boolean careful = request.get() != 0;
        String nonce = new String(take(request), "UTF-8");
        Host host = new Host();
        MethodHandle check;
        try {
            check = host.load(request);
        } catch (Throwable refused) {
            say(out, line(nonce, "rejected ").append(oneLine(refused)));
            return;
        }
        say(out, line(nonce, "loaded"));
        int calls = request.getInt();
        int[] functions = new int[calls];
        long[][] inputs = new long[calls][];
        for (int i = 0; i < calls; i++) {
            functions[i] = request.getInt();
            inputs[i] = new long[request.getInt()];
            for (int k = 0; k < inputs[i].length; k++) {
                inputs[i][k] = request.getLong();
            }
        }
        // What each call returned and left when it was made first; all repetitions have to agree.
        long[] returned = new long[calls];
        long[] left = new long[calls];
        long[] made = new long[calls];
        boolean[] failed = new boolean[calls];
        long[] actual = new long[2];
        StringBuilder lines = new StringBuilder();
        int steps = request.getInt();
        int previous = -1;
        for (int i = 0; i < steps; i++) {
            int call = request.getInt();
            int times = request.getInt();
            if (careful) {
                lines.append(line(nonce, "at ")).append(call).append('\n');
            } else if (functions[call] != previous) {
                // A sign of life.
                lines.append(line(nonce, "begun ")).append(functions[call]).append('\n');
            }
            if (careful || functions[call] != previous) {
                previous = functions[call];
                out.append(lines).flush();
                lines.setLength(0);
            }
            while (times > 0 && !failed[call]) {
                boolean first = made[call] == 0;
                int n = first ? 1 : times;
                try {
                    int wrong = (int) check.invokeExact(
                            functions[call], inputs[call], returned[call], left[call],
                            first ? -1 : n, actual);
                    if (wrong < -1) {
                        throw new IllegalStateException("there is no such function");
                    }
                    if (first) {
                        returned[call] = actual[0];
                        left[call] = actual[1];
                        lines.append(line(nonce, "returned ")).append(call);
                        lines.append(' ').append(actual[0]);
                        lines.append(' ').append(actual[1]).append('\n');
                    } else if (wrong != -1
                            || actual[0] != returned[call] || actual[1] != left[call]) {
                        failed[call] = true;
                        lines.append(line(nonce, "differs ")).append(call);
                        lines.append(' ').append(made[call] + (wrong < 0 ? n - 1 : wrong));
                        lines.append(' ').append(actual[0]);
                        lines.append(' ').append(actual[1]).append('\n');
                    }
                } catch (Throwable thrown) {
                    failed[call] = true;
                    lines.append(line(nonce, "thrown ")).append(call);
                    lines.append(' ').append(oneLine(thrown)).append('\n');
                }
                made[call] += n;
                times -= n;
            }
        }
        long repetitions = 0;
        for (int i = 0; i < calls; i++) {
            repetitions += failed[i] ? 0 : made[i];
        }
        say(out, lines.append(line(nonce, "done ")).append(calls).append(' ').append(repetitions));
    }

    /** Defines all classes, and finds the method that calls functions. */
    private MethodHandle load(ByteBuffer request) throws Throwable {
        int n = request.getInt();
        String main = null;
        for (int i = 0; i < n; i++) {
            String name = new String(take(request), "UTF-8");
            classes.put(name, take(request));
            main = main == null ? name : main;
        }
        for (String name : classes.keySet()) {
            Class.forName(name, true, this);
        }
        Class<?> loaded = loadClass(main, false);
        return MethodHandles.publicLookup().findStatic(loaded, "check", CHECK);
    }

    private static byte[] take(ByteBuffer request) {
        byte[] bytes = new byte[request.getInt()];
        request.get(bytes);
        return bytes;
    }

    private static byte[] read(String file) throws IOException {
        FileInputStream in = new FileInputStream(file);
        try {
            byte[] bytes = new byte[(int) in.getChannel().size()];
            int n = 0;
            while (n < bytes.length) {
                int more = in.read(bytes, n, bytes.length - n);
                if (more < 0) {
                    throw new IOException("the file has become shorter");
                }
                n += more;
            }
            return bytes;
        } finally {
            in.close();
        }
    }

    private static StringBuilder line(String nonce, String word) {
        return new StringBuilder(nonce).append(' ').append(word);
    }

    private static String oneLine(Throwable thrown) {
        return String.valueOf(thrown).replace('\n', ' ').replace('\r', ' ');
    }

    private static void say(PrintStream out, StringBuilder lines) {
        out.append(lines.append('\n')).flush();
    }
}
