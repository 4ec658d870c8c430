import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.security.Security;
import java.security.cert.CRL;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertStore;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/** Validates one path a line, with revocation: the files of root, issuing authority, leaf, and their two CRLs. */
public class Validate {
    public static void main(String[] arguments) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        CertificateFactory factory = CertificateFactory.getInstance("X.509", "BC");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] files = line.split(" ");
            List<X509Certificate> chain = new ArrayList<>();
            for (int file = 0; file < 3; file++) {
                try (InputStream input = new FileInputStream(files[file])) {
                    chain.add((X509Certificate) factory.generateCertificate(input));
                }
            }
            List<CRL> lists = new ArrayList<>();
            for (int file = 3; file < 5; file++) {
                try (InputStream input = new FileInputStream(files[file])) {
                    lists.add(factory.generateCRL(input));
                }
            }
            PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(chain.get(0), null)));
            parameters.setRevocationEnabled(true);
            parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(lists)));
            try {
                CertPathValidator.getInstance("PKIX", "BC")
                        .validate(factory.generateCertPath(List.of(chain.get(2), chain.get(1))), parameters);
                System.out.println("good");
            } catch (CertPathValidatorException refusal) {
                System.out.println(refusal.getMessage());
            }
        }
    }
}
